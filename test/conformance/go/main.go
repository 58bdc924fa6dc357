// verify-log checks a whole log over HTTP with the code of others: golang.org/x/mod/sumdb/tlog for tiles, github.com/transparency-dev/formats
// for checkpoints and cosignatures, github.com/transparency-dev/merkle for proofs. What is Countersign's own (leaves, heads, entries, routes)
// is written from docs/reference/proofs.md.
//
//	COUNTERSIGN_TOKEN=… verify-log [-witness VKEY]… [-earlier NOTE] [-record PROOF]… URL VKEY
//
// Exit code 0: verified; 1: refused, with the reason; 2: wrong usage.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// texts collects a flag that may be given several times.
type texts []string

func (t *texts) String() string     { return strings.Join(*t, ",") }
func (t *texts) Set(s string) error { *t = append(*t, s); return nil }

func main() {
	var witnesses, records texts
	flag.Var(&witnesses, "witness", "key of a witness that must have cosigned; may be repeated")
	flag.Var(&records, "record", "file with an answer of /v1/audit/proof; may be repeated")
	earlier := flag.String("earlier", "", "file with an earlier checkpoint, which the log must continue")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	keys, err := parseKeys(flag.Arg(1), witnesses)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	report, err := verify(newClient(flag.Arg(0), os.Getenv("COUNTERSIGN_TOKEN")), keys, *earlier, records)
	for _, line := range report {
		fmt.Println(line)
	}
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
}

// verify checks the newest checkpoint of a log and all that it covers, and then what the caller kept.
func verify(log *client, keys *keys, earlier string, records []string) ([]string, error) {
	now, err := newest(log, keys)
	if err != nil {
		return nil, err
	}
	trees, err := coveredHeads(log, now)
	if err != nil {
		return nil, err
	}
	leaves, err := wholeTree(log, "checkpoints", now.Size, now.Hash)
	if err != nil {
		return nil, err
	}
	opened, err := followEntries(log, keys, now, trees, leaves)
	if err != nil {
		return nil, err
	}
	total := uint64(0)
	for _, head := range trees {
		if _, err := wholeTree(log, head.name(), head.size, head.root); err != nil {
			return nil, err
		}
		total += head.size
	}
	report := []string{fmt.Sprintf("verified: %d entries, %d trees, %d records", now.Size, len(trees), total)}
	report = append(append(report, opened...), now.cosigned...)
	more, err := verifyKept(log, keys, now, trees, earlier, records)
	return append(report, more...), err
}
