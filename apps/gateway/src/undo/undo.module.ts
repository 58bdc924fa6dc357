import { Module } from '@nestjs/common';
import { CasesModule } from '../cases/cases.module.js';
import { RecordedEffects } from './recorded-effects.service.js';
import { UndoController, UndoSelectionController } from './undo.controller.js';
import { UndoService } from './undo.service.js';
import { UndoPreviews } from './undo-preview.service.js';
import { UndoRuns } from './undo-runs.service.js';

/** Undo: of a call, a case, or a selection of calls. */
@Module({
  imports: [CasesModule],
  controllers: [UndoController, UndoSelectionController],
  providers: [UndoService, UndoPreviews, UndoRuns, RecordedEffects],
})
export class UndoModule {}
