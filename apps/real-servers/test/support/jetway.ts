import { program } from '@jetway-tools/runtimes/program'

const main = new URL('../../../everything/src/main.ts', import.meta.url)

/** The command that starts the server of `apps/everything` over stdio. */
export const stdioCommand: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [...program(main), '--stdio'],
}
