-- Sends the prepared requests in turn, as fast as the answers come. They were formatted before; only the
-- second of their times is written anew, so that no point is sent twice.
-- Arguments: the file of prepared requests (each after a line with its length), the digits that stand for the
-- second, the first second, the requests until the next one.

local ffi = require("ffi")

local bytes
local starts, lengths = {}, {}
-- Where the second stands in the bytes; those of a request lie from `stampsFrom` of it to that of the next.
local stamps
local stampsFrom = {}
local digitsLength
local firstSecond, turnLength
local sent = 0
local digits
-- CPU seconds of this process when the load begins, in the state of its thread.
cpuBefore = 0
local thread

function setup(started) thread = started end

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local text = file:read("*a")
  file:close()
  local placeholder = args[2]
  digitsLength = #placeholder
  firstSecond, turnLength = tonumber(args[3]), tonumber(args[4])
  local at = 1
  while at <= #text do
    local lineEnd = text:find("\n", at, true)
    local length = tonumber(text:sub(at, lineEnd - 1))
    starts[#starts + 1] = lineEnd
    lengths[#lengths + 1] = length
    at = lineEnd + 1 + length
  end
  local found = {}
  local request = 0
  local from = 1
  while true do
    local place = text:find(placeholder, from, true)
    while request < #starts and (not place or place > starts[request + 1]) do
      request = request + 1
      stampsFrom[request] = #found
    end
    if not place then break end
    found[#found + 1] = place - 1
    from = place + digitsLength
  end
  stampsFrom[#starts + 1] = #found
  stamps = ffi.new("int32_t[?]", #found, found)
  bytes = ffi.new("char[?]", #text)
  ffi.copy(bytes, text, #text)
  cpuBefore = os.clock()
end

function request()
  if sent % turnLength == 0 then digits = string.format("%d", firstSecond + sent / turnLength) end
  local at = sent % #starts + 1
  sent = sent + 1
  for i = stampsFrom[at], stampsFrom[at + 1] - 1 do
    ffi.copy(bytes + stamps[i], digits, digitsLength)
  end
  return ffi.string(bytes + starts[at], lengths[at])
end

function done(summary, latency)
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50Us":%d,"p99Us":%d,"p999Us":%d,"refused":%d,"errors":%d,"cpuMs":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency:percentile(99.9), summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    (os.clock() - thread:get("cpuBefore")) * 1e3))
end
