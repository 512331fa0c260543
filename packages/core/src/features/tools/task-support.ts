import { invalid, type Subject } from '../registry/checks.ts'
import type { ToolEntry } from './tool-call.ts'

/** @throws `ERR_MCP_INVALID_DEFINITION` */
export function checkTaskSupport(
  subject: Subject,
  {
    taskSupport,
    immediateResponse,
  }: { readonly taskSupport?: unknown; readonly immediateResponse?: unknown },
): Pick<ToolEntry, 'taskSupport' | 'immediateResponse'> {
  const runs = taskSupport === 'optional' || taskSupport === 'required'
  if (!runs && taskSupport !== undefined && taskSupport !== 'forbidden')
    throw invalid(subject, 'needs "forbidden", "optional" or "required" as its taskSupport')
  if (immediateResponse !== undefined && !(runs && typeof immediateResponse === 'string'))
    throw invalid(
      subject,
      'can have an immediateResponse, a string, only with a taskSupport of "optional" or "required"',
    )
  return {
    taskSupport: runs ? taskSupport : undefined,
    immediateResponse,
  }
}
