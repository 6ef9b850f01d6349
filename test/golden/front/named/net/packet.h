struct packet {
    int size;
};
