#pragma once
extern "C" {
int isalpha(int); int isdigit(int); int isalnum(int); int isspace(int); int isupper(int); int islower(int); int ispunct(int);
int isprint(int); int isxdigit(int); int iscntrl(int); int isgraph(int); int toupper(int); int tolower(int);
}
