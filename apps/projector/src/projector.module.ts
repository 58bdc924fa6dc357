import { type DynamicModule, Module } from '@nestjs/common';
import { ViewFolder } from './folding/view-folder.js';
import { ViewsConsumer } from './views.consumer.js';

@Module({})
export class ProjectorModule {
  static with(folder: ViewFolder): DynamicModule {
    return { module: ProjectorModule, controllers: [ViewsConsumer], providers: [{ provide: ViewFolder, useValue: folder }] };
  }
}
