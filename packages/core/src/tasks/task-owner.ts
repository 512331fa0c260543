import type { CallContext } from '../call/context.ts'
import { ANONYMOUS, principalOf } from '../stores/principal.ts'
import { ANYONE, OF_PRINCIPAL } from '../stores/task-store.ts'

/**
 * Returns the owner of a task that this call starts, or undefined if the client cannot be distinguished from
 * others.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-isolation-and-access-control
 */
export function taskOwner({ scope }: CallContext): string | undefined {
  const principal = principalOf(scope.caller)
  if (principal !== ANONYMOUS) return `${OF_PRINCIPAL}${principal}`
  // In the extension, knowing the id is sufficient.
  if (scope.revision.tasks?.extension !== undefined) return ANYONE
  return scope.session === undefined ? undefined : `session:${scope.session.id}`
}
