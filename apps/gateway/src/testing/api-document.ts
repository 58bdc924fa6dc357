import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createLogger } from '@countersign/process';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { documentText } from '../documents/document-text.js';
import { type Examples, withExamples } from '../documents/examples.js';
import { openApiDocument } from '../documents/openapi-document.js';
import { GatewayModule, type GatewayParts } from '../gateway.module.js';

/** The members of an operation of /openapi.json that specs read. */
export interface Operation {
  operationId: string;
  responses: Record<string, unknown>;
  parameters: { name: string; in: string; schema: { type?: string } }[];
  requestBody?: { required: boolean };
  security?: object[];
}

export interface ApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { $ref?: string }> };
}

/** A route of the gateway. */
export interface StatedRoute {
  /** In upper case. */
  method: string;
  path: string;
  operation: Operation;
  is_public: boolean;
}

/** A gateway with every optional feature, created for its routes only. It is not started. */
export function routedGateway(): Promise<INestApplication> {
  const whole = {
    audit: { evidence: {} },
    damage: {},
    mcp: {},
    drops: {},
    subjects: {},
    calls: { recorded: {} },
    producers: {},
    sagas: {},
    usage: {},
    sign_in: {},
  } as unknown as GatewayParts;
  const module = GatewayModule.of(whole, createLogger('gateway', 'silent'));
  return NestFactory.create(module, new FastifyAdapter(), { logger: false, abortOnError: false, preview: true });
}

export const documentOf = (app: INestApplication): ApiDocument => openApiDocument(app) as unknown as ApiDocument;

/** Written by `npm run examples`. */
export const EXAMPLES_FILE = new URL('../../examples.json', import.meta.url);

/** The text of the file that `/openapi.json` serves. */
export function apiDocumentText(app: INestApplication): string {
  const examples = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Examples;
  return documentText(withExamples(documentOf(app), examples));
}

/** All routes of the document. */
export const routesOf = ({ paths }: Pick<ApiDocument, 'paths'>): StatedRoute[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const is_public = operation.security?.some((scheme) => Object.keys(scheme).length === 0) ?? false;
      return { method: method.toUpperCase(), path, operation, is_public: is_public || operation.security?.length === 0 };
    }),
  );

/** All routes of a gateway with every optional module. */
export const allRoutes = async (): Promise<StatedRoute[]> => routesOf(documentOf(await routedGateway()));
