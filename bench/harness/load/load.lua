-- Sends the prepared requests in turn, as fast as the answers come, or so many a second over all
-- connections, whatever the answers take (as long as a connection is free). SenML has the time at which it is sent
-- as its base time, as that of a device, so that no point is sent twice.
-- Arguments: the file of prepared messages (a line: credential, content type, body, with tabs between; CBOR in
-- hex), the requests a second or 0.

local ffi = require("ffi")
ffi.cdef [[
  struct moment { long seconds; long nanoseconds; };
  int clock_gettime(int clock, struct moment *now);
]]
local moment = ffi.new("struct moment")
local wallClock, monotonic = 0, 1

local function milliseconds(clock)
  ffi.C.clock_gettime(clock, moment)
  return tonumber(moment.seconds) * 1e3 + tonumber(moment.nanoseconds) / 1e6
end

local baseTime = '"bt":'
-- The room of a time in seconds, with milliseconds.
local blank = "0000000000.000"

-- A request up to its base time, and what comes after it, if it has one.
local heads, tails = {}, {}
local next = 0
local interval = 0
local due = nil

function init(args)
  local rate = tonumber(args[2] or "0")
  if rate > 0 then interval = 1e3 / rate end
  for line in io.lines(args[1]) do
    local credential, contentType, body = line:match("^([^\t]*)\t([^\t]*)\t(.*)$")
    if contentType:match("cbor$") then
      body = body:gsub("..", function(hex) return string.char(tonumber(hex, 16)) end)
    end
    local headers = {
      ["Content-Type"] = contentType,
      ["Authorization"] = credential,
    }
    body = body:gsub(baseTime .. "%d+", baseTime .. blank, 1)
    local text = wrk.format("POST", "/http/messages", headers, body)
    local at = text:find(baseTime .. blank, 1, true)
    local stamp = at and at + #baseTime
    heads[#heads + 1] = at and text:sub(1, stamp - 1) or text
    tails[#heads] = at and text:sub(stamp + #blank)
  end
  -- Connections do not start with the same request.
  math.randomseed(os.time())
  next = math.random(#heads)
end

function request()
  next = next % #heads + 1
  local head, tail = heads[next], tails[next]
  if not tail then return head end
  return head .. string.format("%.3f", milliseconds(wallClock) / 1e3) .. tail
end

function delay()
  if interval == 0 then return 0 end
  local at = milliseconds(monotonic)
  due = (due or at) + interval
  return math.max(0, math.floor(due - at + 0.5))
end

function done(summary, latency)
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50Us":%d,"p99Us":%d,"p999Us":%d,"refused":%d,"errors":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency:percentile(99.9), summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
