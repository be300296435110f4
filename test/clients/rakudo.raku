# SPDX-License-Identifier: MIT
# Run by rakudo.sh.
sub test(Str $name, &code) {
    my $done = start { code() };
    await Promise.anyof($done, Promise.in(60));
    my $good = $done.status ~~ Kept && ?$done.result;
    say ($good ?? "ok " !! "bad ") ~ $name;
    note "--- $name: ", $done.status ~~ Broken ?? $done.cause !! $done.status
        unless $good;
}

test "process-output", {
    my $proc = Proc::Async.new("sh", "-c", "seq 1 20000; echo e >&2; exit 4");
    my ($out, $err) = "", "";
    $proc.stdout.tap({ $out ~= $_ });
    $proc.stderr.tap({ $err ~= $_ });
    my $result = await $proc.start;
    $result.exitcode == 4 && $out.lines.elems == 20000 && $err eq "e\n"
}
test "process-input", {
    my $proc = Proc::Async.new(:w, "cat");
    my $out = "";
    $proc.stdout.tap({ $out ~= $_ });
    my $ended = $proc.start;
    my $text = "0123456789" x 30000;
    await $proc.print($text);
    $proc.close-stdin;
    await $ended;
    $out eq $text
}
test "process-signal", {
    my $proc = Proc::Async.new("sleep", "100");
    my $ended = $proc.start;
    await $proc.ready;
    $proc.kill(SIGTERM);
    (await $ended).signal == 15
}
test "process-missing", {
    my $proc = Proc::Async.new("/no/such/program");
    my $ended = $proc.start;
    try { await $ended };
    $ended.status ~~ Broken || (await $ended).exitcode != 0
}
test "processes-parallel", {
    my @results = await (1..20).map: -> $n {
        Proc::Async.new("sh", "-c", "exit $n").start
    };
    [+](@results.map(*.exitcode)) == [+](1..20)
}
test "timer", {
    my $began = now;
    my $ticks = 0;
    react {
        whenever Supply.interval(.02) { done if ++$ticks == 10 }
    }
    my $took = now - $began;
    $ticks == 10 && $took >= 0.17
}
test "timers-many", {
    my @timers = (1..500).map: { Promise.in(.05 + .0002 * $_) };
    await @timers;
    so @timers.all.status ~~ Kept
}
test "tcp-echo", {
    my $port = Promise.new;
    my $server = start react {
        my $tap = do whenever IO::Socket::Async.listen("127.0.0.1", 0)
                -> $conn {
            whenever $conn.Supply(:bin) { $conn.write($_) }
        }
        whenever $tap.socket-port { $port.keep($_) }
    }
    my $number = await $port;
    my @sums = await (1..20).map: -> $n {
        start {
            my $conn = await IO::Socket::Async.connect("127.0.0.1", $number);
            my $got = 0;
            my $want = 10000 * $n;
            await $conn.write(Buf.new($n xx $want));
            react whenever $conn.Supply(:bin) -> $data {
                $got += $data.elems;
                done if $got == $want;
            }
            $conn.close;
            $got
        }
    };
    [+](@sums) == [+]((1..20).map(* * 10000))
}
test "tcp-refused", {
    my $conn = IO::Socket::Async.connect("127.0.0.1", 9);
    try { await $conn };
    $conn.status ~~ Broken
}
test "udp", {
    my $receiver = IO::Socket::Async.bind-udp("127.0.0.1", 24680);
    my $sender = IO::Socket::Async.udp;
    my @got;
    my $done = Promise.new;
    $receiver.Supply.tap({ @got.push($_); $done.keep if @got == 50 });
    await (1..50).map: { $sender.print-to("127.0.0.1", 24680, "gram $_") };
    await Promise.anyof($done, Promise.in(10));
    @got.sort.join eq (1..50).map("gram " ~ *).sort.join
}
test "signal", {
    my $seen = Promise.new;
    signal(SIGUSR1).tap({ $seen.keep });
    sleep .2;
    run "kill", "-USR1", ~$*PID;
    await Promise.anyof($seen, Promise.in(5));
    $seen.status ~~ Kept
}
test "watch", {
    my $dir = $*TMPDIR.add("watched-$*PID");
    mkdir $dir;
    my $seen = Promise.new;
    my $tap = $dir.watch.tap({ try $seen.keep if .path.ends-with("new") });
    sleep .3;
    $dir.add("new").spurt("x");
    await Promise.anyof($seen, Promise.in(5));
    $seen.status ~~ Kept
}
test "threads-hand-over", {
    my $channel = Channel.new;
    my @senders = (1..8).map: -> $n {
        start { $channel.send($n) for ^500 }
    };
    await @senders;
    $channel.close;
    $channel.list.sum == 500 * [+](1..8)
}
test "run-and-capture", {
    my $proc = run "sort", :in, :out;
    $proc.in.print("b\na\n");
    $proc.in.close;
    $proc.out.slurp(:close) eq "a\nb\n"
}
