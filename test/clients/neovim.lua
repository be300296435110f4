-- SPDX-License-Identifier: MIT
-- Run by neovim.sh inside nvim --headless: jobs, timers, watchers, channels.
local uv = vim.loop
local results = {}

local function test(name, fn)
  local good, err = pcall(fn)
  table.insert(results, (good and "ok " or "bad ") .. name)
  if not good then print("--- " .. name .. ": " .. tostring(err)) end
end

local function wait(what, ms, condition)
  assert(vim.wait(ms, condition, 5), "timed out: " .. what)
end

test("job-output", function()
  local out, code = {}, nil
  vim.fn.jobstart({ "sh", "-c", "seq 1 20000; echo err >&2; exit 5" }, {
    stdout_buffered = true,
    on_stdout = function(_, data) out = data end,
    on_exit = function(_, status) code = status end,
  })
  wait("exit", 10000, function() return code end)
  assert(code == 5, code)
  wait("data", 5000, function() return #out > 0 end)
  assert(#out == 20001 and out[20000] == "20000", #out)
end)

test("job-input", function()
  local out, code = {}, nil
  local job = vim.fn.jobstart({ "cat" }, {
    stdout_buffered = true,
    on_stdout = function(_, data) out = data end,
    on_exit = function(_, status) code = status end,
  })
  local text = string.rep("0123456789", 30000)
  vim.fn.chansend(job, text)
  vim.fn.chanclose(job, "stdin")
  wait("exit", 10000, function() return code and #out > 0 end)
  assert(code == 0 and table.concat(out, "\n") == text)
end)

test("job-stop", function()
  local code
  local job = vim.fn.jobstart({ "sleep", "100" }, {
    on_exit = function(_, status) code = status end,
  })
  vim.fn.jobstop(job)
  wait("exit", 10000, function() return code end)
  assert(code == 143, code)
end)

test("jobs-parallel", function()
  local ended = 0
  for n = 1, 40 do
    vim.fn.jobstart({ "sh", "-c", "exit " .. n }, {
      on_exit = function(_, status) ended = ended + (status == n and 1 or 0) end,
    })
  end
  wait("exits", 20000, function() return ended == 40 end)
end)

test("jobwait", function()
  local job = vim.fn.jobstart({ "sh", "-c", "sleep 0.2; exit 9" })
  assert(vim.fn.jobwait({ job }, 30)[1] == -1)
  assert(vim.fn.jobwait({ job }, 10000)[1] == 9)
end)

test("job-missing", function()
  assert(not pcall(vim.fn.jobstart, { "/no/such/program" }))
end)

test("job-pty", function()
  local out, code = "", nil
  local job = vim.fn.jobstart({ "sh", "-c", "tty; stty size; read x; echo $x" }, {
    pty = true, width = 70, height = 20,
    on_stdout = function(_, data) out = out .. table.concat(data, "\n") end,
    on_exit = function(_, status) code = status end,
  })
  wait("size", 10000, function() return out:find("20 70") end)
  vim.fn.chansend(job, "typed\r")
  wait("exit", 10000, function() return code end)
  wait("echo", 5000, function() return select(2, out:gsub("typed", "")) == 2 end)
  assert(out:find("/dev/pts/"), out)
end)

test("system", function()
  assert(vim.fn.system({ "sort" }, "b\na\n") == "a\nb\n")
  assert(#vim.fn.system("head -c 500000 /dev/zero | tr '\\0' x") == 500000)
  assert(vim.v.shell_error == 0)
  vim.fn.system("exit 3")
  assert(vim.v.shell_error == 3)
end)

test("timer", function()
  local ticks = 0
  local began = uv.hrtime()
  vim.fn.timer_start(10, function() ticks = ticks + 1 end, { ["repeat"] = 10 })
  wait("ticks", 5000, function() return ticks == 10 end)
  assert((uv.hrtime() - began) / 1e6 >= 99)
  local late = false
  local id = vim.fn.timer_start(50, function() late = true end)
  vim.fn.timer_stop(id)
  vim.wait(120)
  assert(not late)
end)

test("luv-timer", function()
  local timer, n = uv.new_timer(), 0
  timer:start(5, 5, function()
    n = n + 1
    if n == 20 then timer:close() end
  end)
  wait("closed", 5000, function() return timer:is_closing() end)
  assert(n == 20)
end)

test("fs-event", function()
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir)
  local seen = {}
  local watcher = uv.new_fs_event()
  assert(watcher:start(dir, {}, function(err, name, events)
    assert(not err, err)
    seen[name] = events
  end))
  vim.fn.writefile({ "x" }, dir .. "/one")
  vim.fn.rename(dir .. "/one", dir .. "/two")
  wait("names", 5000, function() return seen.one and seen.two end)
  assert(seen.two.rename)
  watcher:close()
end)

test("fs-poll", function()
  local file, changed = vim.fn.tempname(), nil
  vim.fn.writefile({ "x" }, file)
  local watcher = uv.new_fs_poll()
  assert(watcher:start(file, 20, function(err, before, after)
    changed = not err and before.size ~= after.size
  end))
  vim.wait(60)
  vim.fn.writefile({ "longer" }, file)
  wait("change", 5000, function() return changed end)
  watcher:close()
end)

test("channel-rpc", function()
  local child = vim.fn.jobstart({ "nvim", "--embed", "--headless", "-u", "NONE" },
    { rpc = true })
  assert(vim.fn.rpcrequest(child, "nvim_eval", "6 * 7") == 42)
  local big = string.rep("y", 1000000)
  vim.fn.rpcrequest(child, "nvim_set_var", "big", big)
  assert(vim.fn.rpcrequest(child, "nvim_get_var", "big") == big)
  for n = 1, 500 do
    assert(vim.fn.rpcrequest(child, "nvim_eval", tostring(n)) == n)
  end
  vim.fn.jobstop(child)
  vim.fn.jobwait({ child }, 5000)
end)

local function over_socket(address)
  local server = vim.fn.serverstart(address)
  local mode = server:find(":%d+$") and "tcp" or "pipe"
  local child = vim.fn.jobstart({ "nvim", "--embed", "--headless", "-u", "NONE" },
    { rpc = true })
  -- The child calls back into us over the socket, then we ask it.
  vim.g.called = 0
  vim.fn.rpcrequest(child, "nvim_exec_lua", [[
    local mode, address = ...
    channel = vim.fn.sockconnect(mode, address, { rpc = true })
    vim.fn.rpcnotify(channel, "nvim_command", "let g:called += 1")
  ]], { mode, server })
  wait("notify", 5000, function() return vim.g.called == 1 end)
  for _ = 1, 100 do
    vim.fn.rpcnotify(child, "nvim_exec_lua",
      [[vim.fn.rpcnotify(channel, "nvim_command", "let g:called += 1")]], {})
  end
  wait("notifies", 10000, function() return vim.g.called == 101 end)
  vim.fn.jobstop(child)
  vim.fn.jobwait({ child }, 5000)
  vim.fn.serverstop(server)
end
test("channel-pipe", function() over_socket(vim.fn.tempname()) end)
test("channel-tcp", function() over_socket("127.0.0.1:0") end)

test("channel-stdio-bytes", function()
  local server, sum = uv.new_tcp(), 0
  server:bind("127.0.0.1", 0)
  server:listen(16, function()
    local peer = uv.new_tcp()
    server:accept(peer)
    peer:read_start(function(_, data)
      if data then peer:write(data) else peer:close() end
    end)
  end)
  local port = server:getsockname().port
  local channel = vim.fn.sockconnect("tcp", "127.0.0.1:" .. port, {
    on_data = function(_, data) sum = sum + #table.concat(data, "\n") end,
  })
  vim.fn.chansend(channel, string.rep("z", 700000))
  wait("echo", 10000, function() return sum == 700000 end)
  vim.fn.chanclose(channel)
  server:close()
end)

test("thread-pool", function()
  local got
  local work = uv.new_work(function(n) return n * 2 end,
    function(n) got = n end)
  work:queue(21)
  wait("work", 5000, function() return got end)
  assert(got == 42)
end)

test("files", function()
  local file, text = vim.fn.tempname(), nil
  vim.fn.writefile({ "alpha", "beta" }, file)
  uv.fs_open(file, "r", 438, function(_, fd)
    uv.fs_fstat(fd, function(_, stat)
      uv.fs_read(fd, stat.size, 0, function(_, data)
        uv.fs_close(fd, function() text = data end)
      end)
    end)
  end)
  wait("read", 5000, function() return text end)
  assert(text == "alpha\nbeta\n")
end)

test("signal", function()
  local got
  local handle = uv.new_signal()
  handle:start("sigusr1", function(name) got = name; handle:close() end)
  uv.kill(uv.os_getpid(), "sigusr1")
  wait("signal", 5000, function() return got end)
  assert(got == "sigusr1")
end)

vim.fn.writefile(results, "/out/results", "a")
vim.cmd("qall!")
