/* Recurrent cells: what the host side and kernels agree on. Plain C. */
#pragma once
enum dnn_cell_kind { DNN_CELL_RELU, DNN_CELL_TANH, DNN_CELL_LSTM, DNN_CELL_GRU };
enum dnn_sequence_layout { DNN_SEQUENCES_BY_STEP, DNN_SEQUENCES_PACKED, DNN_SEQUENCES_BY_BATCH };
struct dnn_sequences {
    long long steps, batch, size;
    int layout;
    const int *lengths, *starts; /* of each sequence; of each step, where it begins (packed) */
};
struct dnn_cell {
    long long batch, size, gates, y_step, step;
    const int *lengths;
    int clip;
    double low, high;
};
