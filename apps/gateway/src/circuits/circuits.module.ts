import { Module } from '@nestjs/common';
import { CircuitsController } from './circuits.controller.js';

/** The circuit breakers of tools. */
@Module({ controllers: [CircuitsController] })
export class CircuitsModule {}
