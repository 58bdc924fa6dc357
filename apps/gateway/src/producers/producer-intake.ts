import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import type { ApiKey } from '@countersign/domain';
import type { LogBatch, LogRecord } from '@countersign/event-log';
import { callerOfKey } from '../authentication/authenticator.js';
import type { Problem } from '../http/problem.js';
import type { AnswerTopic } from './answer-topic.js';
import type { ProducedCancellation, ProducedCommand, ProducedCommands, ProducedRequest, RejectedRecord } from './produced-commands.js';
import type { ProducerCancellations } from './producer-cancellations.js';
import type { ProducerStanding } from './producer-standing.js';
import type { RejectedRecords } from './rejected-records.js';
import type { RequestRounds } from './request-rounds.js';

/** Requests that one partition has under way. */
const TOGETHER = 32;
/** The pause while the tenant has as many calls in flight as it may have. */
const FULL_PAUSE_MS = 250;
/** A hundred refused records a second from each partition: they must not fill the dead letters. */
const REJECTED_PAUSE_MS = 10;

/** A value that takes more than about a tenth of a millisecond to read. */
const LARGE_BYTES = 16 * 1024;

/** What the intake works with. */
export interface IntakeParts {
  commands: ProducedCommands;
  rounds: RequestRounds;
  cancellations: ProducerCancellations;
  rejected: RejectedRecords;
  answers: AnswerTopic;
}

/** Whether this gateway still reads the partition. */
export type Reads = (partition: number) => boolean;

/**
 * Takes the records of one producer: requests like POSTs, cancels, and everything else to the dead letters. A record is done when what it
 * causes is durable; a tenant without room stops its partition.
 */
export class ProducerIntake {
  constructor(
    private readonly producer_id: string,
    private readonly standing: ProducerStanding,
    private readonly parts: IntakeParts,
  ) {}

  /** @param done is called with the offset after each part of the batch that is done. */
  async take(batch: LogBatch, reads: Reads, done: (offset: number) => void): Promise<void> {
    for (let from = 0; from < batch.records.length; from += TOGETHER) {
      const records = batch.records.slice(from, from + TOGETHER);
      await this.takeTogether(records, () => {
        if (!reads(batch.partition)) throw new InfrastructureFault('another gateway reads the partition, or this one stops');
      });
      done((records.at(-1) as LogRecord).offset + 1);
    }
  }

  private async takeTogether(records: readonly LogRecord[], check: () => void): Promise<void> {
    const owner = this.standing.owner(this.producer_id);
    const commands = await this.commands(records, owner);
    const caller = callerOfKey(owner);
    const rejected: RejectedRecord[] = [];
    for (let at = 0; at < commands.length; ) {
      check();
      const requests = requestsFrom(commands, at);
      const command = commands[at] as ProducedCommand;
      if (requests.length > 0) rejected.push(...(await this.request(requests, caller, check)));
      else if (command.kind === 'cancel') rejected.push(...(await this.cancel(command, caller)));
      else if (command.kind === 'rejected') rejected.push(command);
      at += Math.max(1, requests.length);
    }
    await this.parts.rejected.put(this.producer_id, owner, rejected);
    await sleep(rejected.length * REJECTED_PAUSE_MS, undefined, { ref: false });
  }

  /** One by one: other requests of the gateway run between large values. */
  private async commands(records: readonly LogRecord[], owner: ApiKey): Promise<ProducedCommand[]> {
    const commands: ProducedCommand[] = [];
    for (const record of records) {
      commands.push(await this.command(record, owner));
      if (record.value.length > LARGE_BYTES) await setImmediate();
    }
    return commands;
  }

  private command(record: LogRecord, owner: ApiKey): Promise<ProducedCommand> | ProducedCommand {
    const problem = this.standing.refusal(owner);
    return problem ? { kind: 'rejected', record, problem } : this.parts.commands.read(record, owner);
  }

  /** Submits requests until each is recorded or refused. @returns the refused ones */
  private async request(requests: readonly ProducedRequest[], caller: Caller, check: () => void): Promise<RejectedRecord[]> {
    const scope = { tenant_id: caller.tenant_id, producer_id: this.producer_id };
    const rejected: RejectedRecord[] = [];
    for (let left = requests; left.length > 0; ) {
      check();
      const round = await this.parts.rounds.run(scope, caller, left);
      await this.parts.answers.write(round.repeated.map(({ state, envelope }) => ({ producer_id: this.producer_id, state, envelope })));
      rejected.push(...round.rejected);
      left = round.full;
      if (left.length > 0) await sleep(FULL_PAUSE_MS, undefined, { ref: false });
    }
    return rejected;
  }

  /** A call that has ended cannot be cancelled: that is an answer, no fault of the record. */
  private async cancel(command: ProducedCancellation, caller: Caller): Promise<RejectedRecord[]> {
    const refusal = await this.parts.cancellations.cancel(command, caller, this.producer_id);
    if (!refusal) return [];
    const { record } = command;
    const problem: Problem = refusal;
    if (refusal.kind !== 'conflict') return [{ kind: 'rejected', record, problem }];
    await this.parts.answers.write([], [{ producer_id: this.producer_id, record, problem }]);
    return [];
  }
}

/** The requests from this place on, up to the next other command. */
function requestsFrom(commands: readonly ProducedCommand[], at: number): ProducedRequest[] {
  const requests: ProducedRequest[] = [];
  for (let command = commands[at]; command?.kind === 'request'; command = commands[at + requests.length]) requests.push(command);
  return requests;
}
