import { describeStalledReader } from './support/stalled-reader.ts'

// This is more than the kernel can buffer: 4 MiB for sending, and up to 32 MiB for receiving.
describeStalledReader(48)
