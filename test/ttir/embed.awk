# awk -f embed.awk KERNEL.ttir GRAPH.fx: the graph, with the kernel's text as a string in the place of the word KERNEL.
FNR == NR {
    gsub(/["\\]/, "\\\\&")
    kernel = kernel $0 "\\n"
    next
}
{
    at = index($0, "KERNEL")
    print at ? substr($0, 1, at - 1) "\"" kernel "\"" substr($0, at + 6) : $0
}
