import type * as whole from './task-calls.ts'

/** No call is a task. */
export class TaskCalls implements Pick<whole.TaskCalls, 'begin' | 'demand' | 'instead'> {
  begin(): undefined {}
  demand(): void {}
  instead(): undefined {}
}
