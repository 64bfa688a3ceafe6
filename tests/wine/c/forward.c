/* python3.dll: every export is forwarded to python3XX.dll; extension modules of the stable ABI need it. */
int DllMainCRTStartup(void *a, int b, void *c) { return 1; }
