import { Module } from '@nestjs/common';
import { ConsoleController } from './console.controller.js';
import { ConsoleSite } from './console-site.js';

/** The console, served to browsers. */
@Module({ controllers: [ConsoleController], providers: [{ provide: ConsoleSite, useFactory: () => ConsoleSite.read() }] })
export class ConsoleModule {}
