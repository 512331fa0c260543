import { type Command, defineCommand } from '../command.ts'
import { usageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { exitOnSignals } from '../target/connect.ts'
import { TARGET_NOTES, TARGET_OPTIONS } from '../target/options.ts'
import { findTarget } from '../target/target.ts'
import { examine } from './examine.ts'
import type { Section } from './finding.ts'
import { createMask, secretVariables } from './mask.ts'
import { hasFault, printReport } from './report.ts'
import { secretsOf, subjectOf } from './subject.ts'

const { revision: _revision, timeout: _timeout, ...OPTIONS } = TARGET_OPTIONS

export const command: Command = defineCommand({
  usage: '<target> [options]',
  options: OPTIONS,
  notes: TARGET_NOTES,
  async run(args, terminal) {
    const { target, positionals } = await findTarget(args, terminal)
    const [unexpected] = positionals
    if (unexpected !== undefined) throw usageError(`doctor takes one target; ${unexpected} is another word`)
    const { env } = terminal.streams
    const subject = subjectOf(target)
    const release = exitOnSignals()
    try {
      const findings = await examine(subject, {
        env,
        progress: (text) => {
          if (!terminal.json) terminal.note(terminal.noteColour('dim', text))
        },
      })
      const sections: readonly Section[] = [{ name: subject.name, findings }]
      printReport(sections, terminal, createMask([...secretVariables(env), ...secretsOf(subject)]))
      return hasFault(sections) ? EXIT.failed : EXIT.ok
    } finally {
      release()
    }
  },
})
