package readers

import (
	"context"
	"sync"
)

var shared struct {
	mu   sync.Mutex
	java *Java
}

// SharedJava is the process's own machine, started by the first call and again
// where it was stopped. It needs no Close: it ends with the process.
func SharedJava(classpath string) (*Java, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.java != nil && !shared.java.ended.Load() {
		return shared.java, nil
	}
	java, err := StartJava(context.Background(), classpath)
	if err != nil {
		return nil, err
	}
	shared.java = java
	return java, nil
}
