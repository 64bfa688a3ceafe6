/* A venv's Scripts\python.exe: reads `home` from pyvenv.cfg and starts home\python.exe, as CPython's launcher. */
#include <windows.h>
#include <stdio.h>
#include <wchar.h>

static int home_of(const wchar_t *folder, wchar_t *home) {
    wchar_t path[1024], line[1024];
    char raw[2048];
    _snwprintf(path, 1024, L"%ls\\pyvenv.cfg", folder);
    FILE *file = _wfopen(path, L"rb");
    if (!file) return 0;
    while (fgets(raw, sizeof raw, file)) {
        MultiByteToWideChar(CP_UTF8, 0, raw, -1, line, 1024);
        wchar_t *equals = wcschr(line, L'=');
        if (wcsncmp(line, L"home", 4) || !equals) continue;
        wchar_t *value = equals + 1;
        while (*value == L' ') value++;
        value[wcscspn(value, L"\r\n")] = 0;
        wcscpy(home, value);
        fclose(file);
        return 1;
    }
    fclose(file);
    return 0;
}

int wmain(void) {
    wchar_t self[1024], folder[1024], home[1024], python[1100];
    GetModuleFileNameW(NULL, self, 1024);
    wcscpy(folder, self);
    *wcsrchr(folder, L'\\') = 0;
    if (!home_of(folder, home)) {
        *wcsrchr(folder, L'\\') = 0;
        if (!home_of(folder, home)) { fwprintf(stderr, L"No pyvenv.cfg file\n"); return 106; }
    }
    _snwprintf(python, 1100, L"%ls\\python.exe", home);
    SetEnvironmentVariableW(L"__PYVENV_LAUNCHER__", self);
    STARTUPINFOW start = {0};
    GetStartupInfoW(&start);
    PROCESS_INFORMATION process;
    if (!CreateProcessW(python, GetCommandLineW(), NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) return 101;
    DWORD code = 1;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    return (int)code;
}
