package io.jobscheduler.worker.execute;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.handlers.AttemptNotes;

/** Keeps what attempts say of themselves. Called on slots' threads; must never wait. */
public interface NoteKeeper {
  /** Keeps nothing. */
  NoteKeeper NONE =
      new NoteKeeper() {
        @Override
        public AttemptNotes open(ClaimedJob job) {
          return AttemptNotes.NONE;
        }

        @Override
        public void close(AttemptNotes notes) {
          // Nothing is kept.
        }
      };

  /** The notes of an attempt that begins. */
  AttemptNotes open(ClaimedJob job);

  /** The attempt has ended or was given up: it says nothing more. May be called twice. */
  void close(AttemptNotes notes);
}
