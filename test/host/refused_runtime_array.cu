// REFUSED: the size of an array has to be a constant
int main(int argc, char **)
{
    int a[2][3], (*p)[argc] = nullptr; // there is no type for what it points to
    return a[1][2] + (p != nullptr);
}
