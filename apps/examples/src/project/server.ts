// #region file
import { createServer } from '@jetway/core'
import type { Locals } from './context.ts'
import { Database } from './database.ts'
import { addNote } from './tools/add-note.ts'
import { findNotes } from './tools/find-notes.ts'

export const server = createServer<Locals>()(
  { name: 'notes', version: '1.0.0' },
  { lifespan: () => Database.open() },
)
server.add(addNote, findNotes)
// #endregion
