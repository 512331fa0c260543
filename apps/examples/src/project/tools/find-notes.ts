// #region file
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Context } from '../context.ts'

export const findNotes = defineTool({
  name: 'find_notes',
  description: 'Finds notes of the team that contain a word',
  annotations: { readOnly: true },
  inputSchema: z.object({ word: z.string() }),
  handler: ({ word }, ctx: Context) => ctx.app.find(ctx.locals.team, word),
})
// #endregion
