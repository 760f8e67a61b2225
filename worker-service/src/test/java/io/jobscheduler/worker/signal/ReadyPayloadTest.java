package io.jobscheduler.worker.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.worker.claim.Position;
import io.jobscheduler.worker.claim.ReadyPlace;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadyPayloadTest {
  private static ReadyPlace place(int lane, long key, long id) {
    return new ReadyPlace(3, lane, new Position(key, id));
  }

  @Test
  void saysTheSmallestPlaceOfEachLane() {
    assertEquals(
        "3:4:-7:12 3:9:50:1",
        ReadyPayload.write(
            List.of(place(9, 50, 1), place(4, 20, 11), place(4, -7, 12), place(4, -7, 13))));
  }

  @Test
  void mergeKeepsEachLane() {
    assertEquals("3:0:1:1 3:4:10:9", ReadyPayload.merge("3:4:10:9", "3:4:11:2 3:0:1:1"));
  }

  @Test
  void readsWhatOthersWriteAndLeavesOutWhatItCannotRead() {
    assertEquals(List.of(place(4, 10, 9)), ReadyPayload.read("3:4:10:9"));
    assertEquals(
        List.of(place(4, 10, 9)),
        ReadyPayload.read("x 3:4:10:9 3:4:1 3:10:1:1 3:4:1:99999999999999999999"));
    assertEquals(List.of(), ReadyPayload.read(""));
  }

  @Test
  void tenLanesFitIntoOneNotification() {
    List<ReadyPlace> places =
        java.util.stream.IntStream.range(0, 10)
            .mapToObj(
                lane ->
                    new ReadyPlace(
                        Integer.MAX_VALUE, lane, new Position(Long.MIN_VALUE, Long.MAX_VALUE)))
            .toList();
    assertEquals(true, ReadyPayload.write(places).length() < 7_999);
  }
}
