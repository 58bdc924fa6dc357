package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	formats "github.com/transparency-dev/formats/log"
	cosignatures "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

// keys are all that is trusted: the log's, and those of witnesses.
type keys struct {
	log       note.Verifier
	witnesses []note.Verifier
}

func parseKeys(log string, witnesses []string) (*keys, error) {
	own, err := note.NewVerifier(log)
	if err != nil {
		return nil, fmt.Errorf("%s is no key of a log: %w", log, err)
	}
	found := &keys{log: own}
	for _, text := range witnesses {
		witness, err := cosignatures.NewVerifierForCosignatureV1(strings.TrimPrefix(text, "heads:"))
		if err != nil {
			return nil, fmt.Errorf("%s is no key of a witness: %w", text, err)
		}
		found.witnesses = append(found.witnesses, witness)
	}
	return found, nil
}

// checkpoint is size and root of the tree of entries, signed.
type checkpoint struct {
	formats.Checkpoint
	// One line for each witness that cosigned.
	cosigned []string
}

// open checks the signature of the log; of the witnesses, those that are there.
func (k *keys) open(text []byte) (*checkpoint, *note.Note, error) {
	found, _, opened, err := formats.ParseCheckpoint(text, k.log.Name(), k.log, k.witnesses...)
	if err != nil {
		return nil, nil, fmt.Errorf("the checkpoint is not one of %s: %w", k.log.Name(), err)
	}
	if found.Size == 0 || found.Size > countMax || len(found.Hash) != sha256.Size {
		return nil, nil, fmt.Errorf("the checkpoint has no size or root")
	}
	return &checkpoint{Checkpoint: *found}, opened, nil
}

// openCosigned demands the cosignature of every witness.
func (k *keys) openCosigned(text []byte) (*checkpoint, error) {
	found, opened, err := k.open(text)
	if err != nil {
		return nil, err
	}
	for _, witness := range k.witnesses {
		at, err := cosignedAt(opened, witness)
		if err != nil {
			return nil, err
		}
		found.cosigned = append(found.cosigned, fmt.Sprintf("cosigned by %s at %s", witness.Name(), at.UTC().Format(time.RFC3339)))
	}
	return found, nil
}

func cosignedAt(opened *note.Note, witness note.Verifier) (time.Time, error) {
	for _, signature := range opened.Sigs {
		if signature.Name == witness.Name() && signature.Hash == witness.KeyHash() {
			return cosignatures.CoSigV1Timestamp(signature)
		}
	}
	return time.Time{}, fmt.Errorf("the checkpoint is not cosigned by %s", witness.Name())
}

// newest fetches the newest checkpoint, with witnesses the newest that they cosigned.
func newest(log *client, keys *keys) (*checkpoint, error) {
	path := "checkpoint"
	if len(keys.witnesses) > 0 {
		path += "?cosigned=true"
	}
	text, err := log.get(path)
	if err != nil {
		return nil, err
	}
	return keys.openCosigned(text)
}
