package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// verifyKept checks what the caller kept: an earlier checkpoint that the log must continue, and records with their proofs.
func verifyKept(log *client, keys *keys, now *checkpoint, trees heads, earlier string, records []string) ([]string, error) {
	var report []string
	if earlier != "" {
		line, err := verifyEarlier(log, keys, now, earlier)
		if err != nil {
			return report, err
		}
		report = append(report, line)
	}
	for _, file := range records {
		line, err := verifyRecord(keys, trees, file)
		if err != nil {
			return report, fmt.Errorf("%s: %w", file, err)
		}
		report = append(report, line)
	}
	return report, nil
}

// verifyEarlier checks the consistency twice: by tlog from tiles, and the proof that the log serves.
func verifyEarlier(log *client, keys *keys, now *checkpoint, file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	before, _, err := keys.open(text)
	if err != nil {
		return "", err
	}
	if before.Size > now.Size {
		return "", fmt.Errorf("the log shrank: it had %d checkpoints and serves %d", before.Size, now.Size)
	}
	if err := continues(log, "checkpoints", now, before.Size, before.Hash); err != nil {
		return "", err
	}
	var answer struct {
		Path       []string `json:"path"`
		Checkpoint string   `json:"checkpoint"`
	}
	if err := log.json(fmt.Sprintf("consistency?first=%d", before.Size), &answer); err != nil {
		return "", err
	}
	path, err := hashesOf(answer.Path)
	if err != nil {
		return "", err
	}
	later, _, err := keys.open([]byte(answer.Checkpoint))
	if err != nil {
		return "", err
	}
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, before.Size, later.Size, path, before.Hash, later.Hash); err != nil {
		return "", fmt.Errorf("checkpoint %d does not continue checkpoint %d: %w", later.Size, before.Size, err)
	}
	return fmt.Sprintf("continues checkpoint %d", before.Size), nil
}

// verifyRecord checks an answer of /v1/audit/proof in the five steps of docs/reference/proofs.md.
func verifyRecord(keys *keys, trees heads, file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var shown struct {
		Record record `json:"record"`
		Proof  struct {
			Tree struct {
				Size       uint64      `json:"size"`
				Path       []string    `json:"path"`
				Generation *generation `json:"generation"`
			} `json:"tree"`
			Head struct {
				Index uint64   `json:"index"`
				Path  []string `json:"path"`
			} `json:"head"`
			Entry struct {
				Number uint64   `json:"number"`
				TimeMs uint64   `json:"time_ms"`
				Trees  uint64   `json:"trees"`
				Path   []string `json:"path"`
				Cut    *cut     `json:"cut"`
			} `json:"entry"`
			Checkpoint string `json:"checkpoint"`
		} `json:"proof"`
	}
	if err := json.Unmarshal(text, &shown); err != nil {
		return "", fmt.Errorf("the proof is not of its form: %w", err)
	}
	signed, _, err := keys.open([]byte(shown.Proof.Checkpoint))
	if err != nil {
		return "", err
	}
	tree, entry, own := shown.Proof.Tree, shown.Proof.Entry, shown.Record
	at := head{topic: own.Topic, partition: uint64(own.Partition), size: tree.Size, generation: tree.Generation}
	if of, known := trees[at.name()]; at.generation != nil && (!known || !sameGeneration(of, at)) {
		return "", fmt.Errorf("the log has no tree %s of decision %s", at.name(), at.generation.Decision)
	}
	leaf, err := recordLeaf(own)
	if err != nil {
		return "", err
	}
	if own.Offset < at.base() {
		return "", fmt.Errorf("the offset lies before the tree")
	}
	if at.root, err = climb(leaf, own.Offset-at.base(), tree.Size, tree.Path); err != nil {
		return "", fmt.Errorf("the record is not in its tree: %w", err)
	}
	headsRoot, err := climb(headLeaf(at), shown.Proof.Head.Index, entry.Trees, shown.Proof.Head.Path)
	if err != nil {
		return "", fmt.Errorf("the tree is not among the heads: %w", err)
	}
	if entry.Number != signed.Size-1 {
		return "", fmt.Errorf("entry %d is not the last one of checkpoint %d", entry.Number, signed.Size)
	}
	root, err := climb(entryLeaf(entry.Number, entry.TimeMs, entry.Trees, headsRoot, entry.Cut), entry.Number, signed.Size, entry.Path)
	if err != nil || !bytes.Equal(root, signed.Hash) {
		return "", fmt.Errorf("the record is not under checkpoint %d", signed.Size)
	}
	return fmt.Sprintf("proven: %s/%d under checkpoint %d", at.name(), own.Offset, signed.Size), nil
}

// climb computes the root that a leaf and its audit path lead to.
func climb(leaf []byte, index, size uint64, texts []string) ([]byte, error) {
	path, err := hashesOf(texts)
	if err != nil {
		return nil, err
	}
	return proof.RootFromInclusionProof(rfc6962.DefaultHasher, index, size, rfc6962.DefaultHasher.HashLeaf(leaf), path)
}
