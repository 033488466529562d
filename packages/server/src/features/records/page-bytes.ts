/** Of what is stored, a page of an answer holds no more bytes than that, but one row at least. */
export const PAGE_BYTES = 8 * 1024 * 1024
