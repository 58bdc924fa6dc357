import type { Pack } from '@countersign/tool-kit';
import { ROOT_SETTING, SHARING_SETTING } from './confine.js';
import { deleteFile } from './delete-file/delete-file.js';
import { fileDiff } from './file-diff/file-diff.js';
import { fileMetadata } from './file-metadata/file-metadata.js';
import { listDirectory } from './list-directory/list-directory.js';
import { moveFile } from './move-file/move-file.js';
import { readFile } from './read-file/read-file.js';
import { searchContent } from './search-content/search-content.js';
import { searchFiles } from './search-files/search-files.js';
import { writeFile } from './write-file/write-file.js';

/** Files inside the tenant's folder in COUNTERSIGN_WORKSPACE_ROOT only. The folder is created if missing. */
export const pack: Pack = {
  name: 'workspace',
  evaluations: new URL('../eval/', import.meta.url),
  settings: { [ROOT_SETTING]: './workspace' },
  folders: [{ variable: ROOT_SETTING, sharing: SHARING_SETTING }],
  tools: [deleteFile, fileDiff, fileMetadata, listDirectory, moveFile, readFile, searchContent, searchFiles, writeFile],
};
