import { Module } from '@nestjs/common';
import { CasesModule } from '../cases/cases.module.js';
import { SagasModule } from '../sagas/sagas.module.js';
import { RecordedEffects } from './recorded-effects.service.js';
import { UndoController, UndoSelectionController } from './undo.controller.js';
import { UndoService } from './undo.service.js';
import { UndoIdentities } from './undo-identities.service.js';
import { UndoPreviews } from './undo-preview.service.js';
import { UndoProgress } from './undo-progress.service.js';
import { UndoRuns } from './undo-runs.service.js';
import { UndoSagas } from './undo-sagas.service.js';
import { UndoSelections } from './undo-selections.service.js';

/** Undo: of a call, a case, or a selection of calls. */
@Module({
  imports: [CasesModule, SagasModule],
  controllers: [UndoController, UndoSelectionController],
  providers: [UndoService, UndoSelections, UndoIdentities, UndoPreviews, UndoProgress, UndoRuns, UndoSagas, RecordedEffects],
})
export class UndoModule {}
