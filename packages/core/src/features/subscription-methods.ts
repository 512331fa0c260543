import type { ServerCapabilities } from '../protocol/types.ts'
import type { MethodEntry } from '../call/method-table.ts'
import { changeTopics, listenEntry, type ListenTopic } from './listen-method.ts'
import type { Resources } from './resources/resources.ts'
import { subscribeMethods } from './subscribe-method.ts'

interface Subscribable {
  readonly capabilities: () => ServerCapabilities
  readonly resources: Resources
  /** What extensions add to `subscriptions/listen`. */
  readonly topics: readonly ListenTopic[]
}

/** The methods by which clients of both eras ask for notifications. */
export const subscriptionMethods = ({
  capabilities,
  resources,
  topics,
}: Subscribable): readonly (readonly [string, MethodEntry])[] => [
  ...subscribeMethods(resources),
  listenEntry([...changeTopics(capabilities, resources), ...topics]),
]
