/** Rules for manifests. */
import { error, note, type Rule, warning } from './rule.ts'

export const MANIFEST_RULES = {
  'manifest.shape': error(
    'Manifest',
    'The manifest does not have the specified format.',
    'Compare the names and types of its members with the integration guide.',
  ),
  'manifest.duplicate_module': error(
    'Manifest',
    'Two modules have the same record_type.',
    'Give each module its own record_type.',
  ),
  'manifest.duplicate_field': error(
    'Manifest',
    'A module has two fields with the same key.',
    'List each key once.',
  ),
  'manifest.record_type_unusable': error(
    'Manifest',
    'A record_type cannot be used in a URL, or is longer than 512 bytes.',
    'Use lower-case letters, digits and underscores.',
  ),
  'manifest.record_type_unusual': warning(
    'Manifest',
    'A record_type contains characters that URLs must escape, or differs from another one only by case.',
    'Use lower-case letters, digits and underscores: routers and proxies treat other characters differently.',
  ),
  'manifest.text_unusable': error(
    'Manifest',
    'A text of the manifest contains a null character or a lone surrogate.',
    'Send valid UTF-8 without null characters.',
  ),
  'manifest.member_left_out': warning(
    'Manifest',
    '"{field}" is missing; the hub uses {instead}.',
    'Send every member that the guide lists.',
  ),
  'manifest.member_unknown': note(
    'Manifest',
    'The hub ignores the member "{field}".',
    'Remove it, or check its spelling.',
  ),
  'manifest.type_unknown': warning(
    'Manifest',
    'The hub does not know a type, and treats its values as text.',
    'Use string, number, integer, boolean, date, datetime or json.',
  ),
  'manifest.blank': warning(
    'Manifest',
    'A "{field}" is empty, or has leading or trailing spaces.',
    'It is shown as a title or a column heading: trim it, and make it meaningful.',
  ),
  'manifest.title_long': warning(
    'Manifest',
    'A "{field}" has more than 100 characters.',
    'Titles and labels are shown in tables: use at most 100 characters.',
  ),
  'manifest.large': warning(
    'Manifest',
    'The manifest has {bytes} bytes.',
    'A manifest describes modules and fields; do not include records.',
  ),
  'manifest.no_modules': warning(
    'Manifest',
    'The manifest lists no modules, so the hub pulls nothing.',
    'List a module for each kind of record.',
  ),
  'manifest.no_fields': warning(
    'Manifest',
    'A module lists no fields, so its table in the hub has no columns.',
    'List the keys in the data of its records.',
  ),
} as const satisfies Record<string, Rule>
