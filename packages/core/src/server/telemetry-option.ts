import { CallObservers } from '../call/observation/call-observers.ts'
import { systemClock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { check } from '../util/check-options.ts'
import type { ServerOptions } from './options.ts'

const FUNCTIONS = ['attach', 'received', 'sent'] as const

/** @throws `ERR_MCP_OPTION` */
export function createObservers(
  { telemetry, clock = systemClock }: Pick<ServerOptions, 'telemetry' | 'clock'>,
  logger: Logger,
): CallObservers | undefined {
  if (telemetry === undefined) return undefined
  check(
    'telemetry',
    FUNCTIONS.every((name) => typeof telemetry?.[name] === 'function'),
    'must be an object such as telemetry() of @jetway/otel returns',
  )
  return new CallObservers(telemetry, { clock, logger })
}
