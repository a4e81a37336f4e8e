/** SQLite's application_id of a state file: `frsb` in ASCII. */
export const STATE_FILE_ID = 0x66727362;

/** The start of every SQLite file, and where its header has what is read here. Source: sqlite.org/fileformat.html. */
const SQLITE = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const PAGE_COUNT_AT = 28;
const APPLICATION_ID_AT = 68;

/** Returns what keeps bytes from being a whole state file, as far as its header shows it; undefined if nothing does. */
export function stateFileProblem(bytes: Uint8Array): string | undefined {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = Buffer.from(bytes.subarray(0, SQLITE.length)).toString('latin1');
  if (bytes.length < HEADER_BYTES || start !== SQLITE || header.getUint32(APPLICATION_ID_AT) !== STATE_FILE_ID)
    return 'it is not a sandbox state file';
  // The largest page size does not fit into its two bytes and is written as 1.
  const pageSize = header.getUint16(PAGE_SIZE_AT) === 1 ? 65_536 : header.getUint16(PAGE_SIZE_AT);
  return bytes.length < pageSize * header.getUint32(PAGE_COUNT_AT) ? 'it is incomplete' : undefined;
}
