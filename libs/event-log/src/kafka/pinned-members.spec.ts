import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Cluster } from 'kafkajs';
import { expect, test } from 'vitest';

/** An upgrade that changes one of these members breaks the log on Kafka: check each (README.md), then raise the version here. */
const VERSION = '2.2.4';
const require = createRequire(import.meta.url);
const source = (file: string): string => readFileSync(require.resolve(`kafkajs/src/${file}`), 'utf8');

test('this is the version whose private members were checked', () => {
  expect((require('kafkajs/package.json') as { version: string }).version).toBe(VERSION);
});

test('a request queue has the overridden members: the check of pending requests, and the pending requests', () => {
  const RequestQueue = require('kafkajs/src/network/requestQueue') as { new (given: object): { pending: unknown[] }; prototype: object };
  expect(RequestQueue.prototype).toHaveProperty('scheduleCheckPendingRequests');
  const options = {
    maxInFlightRequests: null,
    requestTimeout: 1,
    enforceRequestTimeout: false,
    clientId: '',
    broker: '',
    logger: {},
    isConnected: () => true,
  };
  expect(new RequestQueue(options).pending).toEqual([]);
});

test('a connection uses only the members of its socket that a framed socket has', () => {
  const used = [...`${source('network/socket.js')}${source('network/connection.js')}`.matchAll(/\bsocket\.(\w+)\(/g)].map(
    ([, name]) => name,
  );
  expect(new Set(used)).toEqual(new Set(['on', 'write', 'end', 'unref']));
});

test('a cluster has the members that a read at an offset calls', () => {
  const { prototype } = require('kafkajs/src/cluster') as { prototype: Cluster };
  const called: (keyof Cluster)[] = [
    'addMultipleTargetTopics',
    'connect',
    'disconnect',
    'fetchTopicsOffset',
    'findBroker',
    'findTopicPartitionMetadata',
    'getNodeIds',
    'refreshMetadata',
    'refreshMetadataIfNecessary',
    'removeBroker',
  ];
  for (const name of called) expect([name, typeof prototype[name]]).toEqual([name, 'function']);
});
