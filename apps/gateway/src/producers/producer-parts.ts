import type { Calls } from '@countersign/calls';
import type { AppDeps } from '@countersign/process';
import type { KeyUses } from '../authentication/key-uses.js';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import { AnswerReader } from './answer-reader.js';
import { AnswerTopic } from './answer-topic.js';
import { AnswersTransport } from './answers.consumer.js';
import { ProducedCommands } from './produced-commands.js';
import { ProducerCancellations } from './producer-cancellations.js';
import { ProducerNames } from './producer-names.js';
import { ProducerReaders } from './producer-readers.js';
import { ProducerStanding } from './producer-standing.js';
import { ProducerTopicsMaker } from './producer-topics-maker.js';
import { PublishedSchemas } from './published-schemas.js';
import { RecordValues } from './record-values.js';
import { RejectedRecords } from './rejected-records.js';
import { RequestAdmission } from './request-admission.js';
import { RequestRounds } from './request-rounds.js';

export interface ProducerParts {
  topics: ProducerTopicsMaker;
  readers: ProducerReaders;
}

/** What reads and answers producers. */
export function producerParts(
  deps: AppDeps,
  lanes: readonly string[],
  calls: Calls,
  { configuration, uses }: { configuration: ConfigurationService; uses: KeyUses },
): ProducerParts {
  const standing = new ProducerStanding(configuration, uses);
  const topics = new ProducerTopicsMaker(deps.log);
  const answers = new AnswerTopic(deps.log);
  const intake = {
    commands: new ProducedCommands(new RecordValues(deps.schemas)),
    rounds: new RequestRounds(deps.store, new RequestAdmission(calls)),
    cancellations: new ProducerCancellations(deps.store, calls, { log: deps.log, lanes }),
    rejected: new RejectedRecords(deps, answers),
    answers,
  };
  const transport = new AnswersTransport(deps, lanes, new AnswerReader(deps.log, calls, standing, answers));
  const [names, schemas] = [new ProducerNames(deps, standing), new PublishedSchemas(deps.schemas)];
  return { topics, readers: new ProducerReaders(deps, standing, topics, { intake, answers: transport, names, schemas }) };
}
