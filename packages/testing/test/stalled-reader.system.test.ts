import { describeStalledReader } from './support/stalled-reader.ts'

// More than the buffers of the kernel hold: 4 MiB for sending, and up to 32 MiB for receiving.
describeStalledReader(48)
