import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { AnswersIn } from '../http/answer.decorator.js';

/**
 * A route that responds with server-sent events. Nest's `@Sse()` is not used: it formats every event for each reader (here all readers of
 * a call share one text), limits unread data by characters and then drops the connection silently (here by bytes, with `event: closed` and
 * its reason), and does not support limits on open streams, a shared heartbeat, a maximum age, or the expiry of a credential
 * (OpenStreams).
 */
export const EventStreamAnswer = (): MethodDecorator =>
  applyDecorators(
    AnswersIn('text/event-stream', 'server-sent events (HTML)'),
    ApiHeader({ name: 'Last-Event-ID', description: 'id of the last event received: the stream resumes after it', required: false }),
  );
