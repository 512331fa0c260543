import { leftOut } from '../../errors-left-out.ts'
import type * as whole from './subscriber-hooks.ts'

export const compileHooks: typeof whole.compileHooks = ({ kind, name }, { onSubscribe, onUnsubscribe }) => {
  if (onSubscribe !== undefined || onUnsubscribe !== undefined)
    throw leftOut(`The ${kind} ${JSON.stringify(name)} has a hook for subscribers, and that there are any`)
  return undefined
}

/** Nobody watches. */
export class Watches implements Pick<whole.SubscriberHooks, 'add'> {
  add(): () => void {
    return () => {}
  }
}
