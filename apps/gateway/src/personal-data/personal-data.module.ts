import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { LogDropsController } from './log-drops.controller.js';
import { PersonalDataController } from './personal-data.controller.js';
import { PersonalDataService } from './personal-data.service.js';
import { RetentionController } from './retention.controller.js';
import { RetentionService } from './retention.service.js';
import { SubjectsController } from './subjects.controller.js';

/** Personal data rules, erasure and retention. */
@Module({})
export class PersonalDataModule {
  /** `seals`: this gateway has the keys of encrypted data; `drops`: it has evidence, so it can delete records. */
  static of({ seals, drops }: { seals: boolean; drops: boolean }): DynamicModule {
    const ofSealing: Type[] = seals ? [PersonalDataController, SubjectsController, RetentionController] : [];
    const ofDrops: Type[] = drops ? [LogDropsController] : [];
    return {
      module: PersonalDataModule,
      controllers: [...ofSealing, ...ofDrops],
      providers: seals ? [PersonalDataService, RetentionService] : [],
    };
  }
}
