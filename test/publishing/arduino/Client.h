#pragma once
#include <Arduino.h>

class Client {
public:
  virtual ~Client() {}
  virtual int connect(const char *host, uint16_t port) = 0;
  virtual size_t print(const char *text) = 0;
  virtual size_t print(unsigned long number) = 0;
  virtual int available() = 0;
  virtual int read() = 0;
  virtual uint8_t connected() = 0;
  virtual void stop() = 0;
};
