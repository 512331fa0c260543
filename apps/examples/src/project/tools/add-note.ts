// #region file
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Context } from '../context.ts'

export const addNote = defineTool({
  name: 'add_note',
  description: 'Adds a note for the team',
  inputSchema: z.object({ text: z.string().min(1) }),
  handler: ({ text }, ctx: Context) => `${ctx.app.add(ctx.locals.team, text)} notes`,
})
// #endregion
