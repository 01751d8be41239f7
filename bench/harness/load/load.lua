-- Sends the prepared requests in turn, as fast as the answers come, or so many a second over all
-- connections, whatever the answers take (as long as a connection is free).
-- Arguments: the file of prepared messages (a line: credential, content type, body, with tabs between; CBOR in
-- hex), the requests a second or 0.

local ffi = require("ffi")
ffi.cdef [[
  struct moment { long seconds; long nanoseconds; };
  int clock_gettime(int clock, struct moment *now);
]]
local moment = ffi.new("struct moment")

-- Milliseconds of the monotonic clock.
local function now()
  ffi.C.clock_gettime(1, moment)
  return tonumber(moment.seconds) * 1e3 + tonumber(moment.nanoseconds) / 1e6
end

local requests = {}
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
    requests[#requests + 1] = wrk.format("POST", "/http/messages", headers, body)
  end
  -- Connections do not start with the same request.
  math.randomseed(os.time())
  next = math.random(#requests)
end

function request()
  next = next % #requests + 1
  return requests[next]
end

function delay()
  if interval == 0 then return 0 end
  local at = now()
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
