# an archive that is cut off, damaged, or none
--run-- head -c 3000 $ROOT/test/cases/programs/dynamic_mlp.pt2 >cut.pt2; ferrite inspect --stage fx cut.pt2
--err--
error: pt2: cannot read the archive: it is no zip archive, or its end is missing
  at cut.pt2
--status-- 1

--run-- LC_ALL=C sed s/aten.linear/aten.linier/ $ROOT/test/cases/programs/dynamic_mlp.pt2 >bad.pt2; ferrite inspect --stage fx bad.pt2
--err--
error: pt2: the record's checksum does not fit its bytes: the file is damaged
  at models/model.json
  help: copy or export the file again
--status-- 1

--run-- LC_ALL=C sed s/archive_version/archive_edition/ $ROOT/test/cases/programs/dynamic_mlp.pt2 >bad.pt2; ferrite inspect --stage fx bad.pt2
--err--
error: pt2: archive version (none) is not known; this ferrite reads 0
  at bad.pt2
--status-- 1

--run-- ferrite inspect --stage fx none.pt2
--err--
error: file: cannot open none.pt2: No such file or directory
--status-- 1

--run-- : >empty.pt2; ferrite inspect --stage fx empty.pt2
--err--
error: pt2: cannot read the archive: it is no zip archive, or its end is missing
  at empty.pt2
--status-- 1
