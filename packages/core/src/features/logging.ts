import { invalidParams } from '../errors.ts'
import { isLogLevel, LOG_LEVELS } from '../protocol/types.ts'
import type { MethodEntry } from '../call/method-table.ts'
import { complete } from '../call/result.ts'
import { chain } from '../util/promises.ts'

/** Serves `logging/setLevel`. Without a session it succeeds and has no effect. */
export const setLogLevel: MethodEntry = {
  handle: ({ level }, ctx) => {
    if (!isLogLevel(level)) throw invalidParams(`The level must be one of ${LOG_LEVELS.join(', ')}`)
    return chain(
      ctx.scope.session?.update(() => ({ logLevel: level })),
      () => complete({}),
    )
  },
}
