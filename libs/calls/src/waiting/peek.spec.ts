import { EventCodec } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleCall, sampleEnd, sampleMeta } from '../testing/samples.js';
import { peekCallId } from './peek.js';

const codec = new EventCodec();

describe('peeking at a record', () => {
  test('finds the same call id as decoding', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.uuid(), (tenant_id, uuid) => {
        const meta = sampleMeta({ tenant_id, call_id: `3-${uuid}` });
        expect(peekCallId(codec.encode('tool_call_requested', { meta, call: sampleCall() }))).toBe(meta.call_id);
        expect(peekCallId(codec.encode('tool_executed', sampleEnd({ meta })))).toBe(meta.call_id);
      }),
    );
  });

  test('an event without a call has none', () => {
    const meta = sampleMeta({ call_id: null });
    expect(peekCallId(codec.encode('tool_call_requested', { meta, call: sampleCall() }))).toBeUndefined();
  });

  test('arbitrary bytes never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => peekCallId(Buffer.from(bytes))).not.toThrow();
      }),
    );
  });
});
