import { Module } from '@nestjs/common';
import { SagaAnswers } from './saga-answers.service.js';
import { SagaCommandsController } from './saga-commands.controller.js';
import { SagaCommands } from './saga-commands.service.js';
import { SagaDefinitionChoice } from './saga-definition-choice.service.js';
import { SagaLaunches } from './saga-launches.service.js';
import { SagaStarts } from './saga-starts.service.js';
import { SagaTicketsController } from './saga-tickets.controller.js';
import { SagasController } from './sagas.controller.js';
import { SagasService } from './sagas.service.js';

/** Sagas: several calls that run as one. */
@Module({
  controllers: [SagasController, SagaCommandsController, SagaTicketsController],
  providers: [SagaAnswers, SagaCommands, SagaDefinitionChoice, SagaLaunches, SagaStarts, SagasService],
})
export class SagasModule {}
