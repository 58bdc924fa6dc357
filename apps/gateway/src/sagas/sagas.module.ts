import { Module, type Provider } from '@nestjs/common';
import { AUTHORITY_RESOLVER } from './authority-resolver.js';
import { OpenSagaCounts } from './open-saga-counts.service.js';
import { SagaAnswers } from './saga-answers.service.js';
import { SagaCommandsController } from './saga-commands.controller.js';
import { SagaCommands } from './saga-commands.service.js';
import { SagaDefinitionChoice } from './saga-definition-choice.service.js';
import { SagaEventsController } from './saga-events.controller.js';
import { SagaExchanges } from './saga-exchanges.service.js';
import { SagaIdentities } from './saga-identities.service.js';
import { SagaLaunches } from './saga-launches.service.js';
import type { SagaParts } from './saga-parts.js';
import { SagaRequestChecks } from './saga-request-checks.service.js';
import { SagaRequests } from './saga-requests.js';
import { SagaStarts } from './saga-starts.service.js';
import { SagaTexts } from './saga-texts.service.js';
import { SagaTicketsController } from './saga-tickets.controller.js';
import { SagaWatches } from './saga-watches.js';
import { SagasController } from './sagas.controller.js';
import { SagasService } from './sagas.service.js';

/** Sagas: several calls that run as one. */
@Module({
  controllers: [SagasController, SagaEventsController, SagaCommandsController, SagaTicketsController],
  providers: [
    SagaAnswers,
    OpenSagaCounts,
    SagaCommands,
    SagaDefinitionChoice,
    SagaExchanges,
    SagaIdentities,
    SagaLaunches,
    SagaRequestChecks,
    SagaStarts,
    SagasService,
    SagaTexts,
  ],
  exports: [SagaExchanges, SagaLaunches],
})
export class SagasModule {}

/** What sagas need of the process, for the modules of the gateway. */
export const sagaProviders = ({ authority, requests, watches }: SagaParts): Provider[] => [
  { provide: AUTHORITY_RESOLVER, useValue: authority },
  { provide: SagaRequests, useValue: requests },
  { provide: SagaWatches, useValue: watches },
];
