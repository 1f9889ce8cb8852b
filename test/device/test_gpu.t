# make test-gpu where there is no GPU: it says so, counts itself as skipped, and ends well
--run-- cd $ROOT && OUT=$OLDPWD/gpu KIND=mps sh tools/test_gpu.sh; echo $?; ls $OLDPWD/gpu
--out--
no GPU: error: run: probe: mps: there is no Metal on this machine: it is a part of Apple's systems
0 passed, 0 failed, 1 skipped
0
probe.fx
probe.log
summary.txt
