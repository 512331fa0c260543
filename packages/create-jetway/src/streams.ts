import type { TerminalOptions } from '@jetway-apps/terminal/terminal'

/** The standard streams of the process. Tests pass their own. */
export interface Streams {
  readonly stdin: TerminalOptions['input']
  readonly stdout: TerminalOptions['output']
  readonly stderr: TerminalOptions['output']
}
