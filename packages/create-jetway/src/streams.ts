import type { TerminalOptions } from '@jetway-apps/terminal/terminal'

/** The streams of the process. Tests have their own. */
export interface Streams {
  readonly stdin: TerminalOptions['input']
  readonly stdout: TerminalOptions['output']
  readonly stderr: TerminalOptions['output']
}
