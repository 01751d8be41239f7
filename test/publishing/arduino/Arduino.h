// As much of Arduino as the example for it uses, for a computer.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>

unsigned long millis();
void delay(unsigned long ms);
long random(long below);

struct SerialPort {
  void begin(long) {}
  void println(int value) { printf("%d\n", value); }
  void println(const char *text) { printf("%s\n", text); }
};
extern SerialPort Serial;
