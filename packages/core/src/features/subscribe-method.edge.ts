import { invalidRequest } from '../errors.ts'
import { Method } from '../protocol/methods.ts'
import type { MethodEntry } from '../call/dispatcher.ts'
import type * as whole from './subscribe-method.ts'

const needsSession: MethodEntry = {
  handle: () => {
    throw invalidRequest('Subscriptions need a session, and this connection has none')
  },
}

export const subscriptionMethods: typeof whole.subscriptionMethods = () => [
  [Method.Subscribe, needsSession],
  [Method.Unsubscribe, needsSession],
]
